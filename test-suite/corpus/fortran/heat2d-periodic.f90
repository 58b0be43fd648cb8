! Heat on a torus: a halo is filled from the opposite sides before each sweep.
module torus
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine fill_halo(u, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: u(0:n + 1, 0:m + 1)
    integer :: i, j

    do j = 1, m
      u(0, j) = u(n, j)
      u(n + 1, j) = u(1, j)
    end do
    do i = 1, n
      u(i, 0) = u(i, m)
      u(i, m + 1) = u(i, 1)
    end do
  end subroutine fill_halo

  subroutine heat(u, v, n, m, steps)
    integer, intent(in) :: n, m, steps
    real(dp), intent(inout) :: u(0:n + 1, 0:m + 1), v(0:n + 1, 0:m + 1)
    integer :: t, i, j

    do t = 1, steps
      call fill_halo(u, n, m)
      do j = 1, m
        do i = 1, n
          v(i, j) = u(i, j) + 0.1_dp*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
        end do
      end do
      u(1:n, 1:m) = v(1:n, 1:m)
    end do
  end subroutine heat
end module torus

program main
  use corpus
  use torus
  implicit none
  integer :: nx, ny, nz, steps
  real(dp), allocatable :: u(:), v(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx + 2, ny + 2, 1))
    call new_array(v, points(nx + 2, ny + 2, 1))
    call heat(u(1), v(1), nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
