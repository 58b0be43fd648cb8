! A halo around n by m points, which arguments of explicit shape bring along; each step fills it from the other side.
module halo
  implicit none
contains
  subroutine heat(u, v, n, m, steps)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout) :: u(0:n + 1, 0:m + 1), v(0:n + 1, 0:m + 1)
    integer :: i, j, t
    do t = 1, steps
      do j = 1, m
        do i = 1, n
          v(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
        end do
      end do
      u = v
      u(0, :) = u(n, :)
      u(n + 1, :) = u(1, :)
      u(:, 0) = u(:, m)
      u(:, m + 1) = u(:, 1)
    end do
  end subroutine heat
end module halo

program main
  use corpus
  use halo
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    if (nx > 2 .and. ny > 2) call heat(u, v, nx - 2, ny - 2, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
