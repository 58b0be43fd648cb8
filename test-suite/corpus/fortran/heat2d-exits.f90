! A time loop that is left from within its sweep when a point gets too hot.
module plates
  implicit none
contains
  subroutine heat(u, v, nx, ny, steps, last)
    integer, intent(in) :: nx, ny, steps
    double precision, intent(inout) :: u(nx, ny), v(nx, ny)
    integer, intent(out) :: last
    integer :: i, j, t

    last = 0
    time: do t = 1, steps
      do j = 2, ny - 1
        do i = 2, nx - 1
          v(i, j) = 0.26d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
          if (abs(v(i, j)) > 42.0d0) exit time
        end do
      end do
      u = v
      last = t
    end do time
  end subroutine heat
end module plates

program main
  use corpus
  use plates
  implicit none
  integer :: nx, ny, nz, steps, last
  double precision, allocatable :: u(:), v(:), left(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(left, 1)
    call heat(u, v, nx, ny, steps, last)
    left(1) = last
    call dump('u', u)
    call dump('v', v)
    call dump('left', left)
    call end_case()
  end do
end program main
