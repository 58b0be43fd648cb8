! What each point works out stands in variables of a module: the neighbours' places, and the change.
module field
  implicit none
  integer :: im, ip
  double precision :: change
contains
  subroutine heat(n, m, u, v, steps)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout) :: u(n, m), v(n, m)
    integer :: i, j, t
    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          im = i - 1
          ip = i + 1
          change = u(im, j) + u(ip, j) + u(i, j - 1) + u(i, j + 1) - 4d0*u(i, j)
          v(i, j) = u(i, j) + 0.2d0*change
        end do
      end do
      u(2:n - 1, 2:m - 1) = v(2:n - 1, 2:m - 1)
      if (mod(t, 5) == 0) print *, t
    end do
  end subroutine heat
end module field

program main
  use corpus
  use field
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:), left(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(left, 3)
    im = -1
    ip = -1
    change = left(3)
    call heat(max(nx, 0), max(ny, 0), u, v, steps)
    left(1:3) = [dble(im), dble(ip), change]
    call dump('u', u)
    call dump('v', v)
    call dump('left', left)
    call end_case()
  end do
end program main
