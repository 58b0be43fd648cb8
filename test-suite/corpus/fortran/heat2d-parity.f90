! Two levels of one array, told apart by the step's parity; the border's places are found in the body.
subroutine heat(u, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m, 0:1)
  integer :: t, i, j, now, next

  do t = 0, steps - 1
    now = mod(t, 2)
    next = 1 - now
    do j = 1, m
      do i = 1, n
        if (i == 1 .or. i == n .or. j == 1 .or. j == m) then
          u(i, j, next) = u(i, j, now)
        else
          u(i, j, next) = 0.25d0*(u(i - 1, j, now) + u(i + 1, j, now) + u(i, j - 1, now) + u(i, j + 1, now))
        end if
      end do
    end do
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 2))
    call heat(u(1), nx, ny, steps)
    call dump('u', u)
    call end_case()
  end do
end program main
