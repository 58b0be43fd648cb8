! Shallow waves by leapfrog: the first step goes forward from the initial state, half as far.
subroutine slosh(past, now, next, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: past(n, m), now(n, m), next(n, m)
  double precision, parameter :: c2 = 0.2d0
  integer :: t, i, j

  do t = 1, steps
    if (t == 1) then
      do j = 2, m - 1
        do i = 2, n - 1
          next(i, j) = now(i, j) + 0.5d0*c2*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) &
                       - 4.0d0*now(i, j))
        end do
      end do
    else
      do j = 2, m - 1
        do i = 2, n - 1
          next(i, j) = 2.0d0*now(i, j) - past(i, j) + c2*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) &
                       + now(i, j + 1) - 4.0d0*now(i, j))
        end do
      end do
    end if
    past = now
    now = next
  end do
end subroutine slosh

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: past(:), now(:), next(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(past, points(nx, ny, 1))
    call new_array(now, points(nx, ny, 1))
    call new_array(next, points(nx, ny, 1))
    call slosh(past, now, next, nx, ny, steps)
    call dump('past', past)
    call dump('now', now)
    call dump('next', next)
    call end_case()
  end do
end program main
