! Life on logicals, of which count says how many are alive around a cell; the border is dead.
subroutine live(now, next, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  logical, intent(inout) :: now(n, m), next(n, m)
  integer :: t, i, j, around

  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        around = count(now(i - 1:i + 1, j - 1:j + 1))
        if (now(i, j)) then
          next(i, j) = around == 3 .or. around == 4
        else
          next(i, j) = around == 3
        end if
      end do
    end do
    now(2:n - 1, 2:m - 1) = next(2:n - 1, 2:m - 1)
  end do
end subroutine live

program main
  use, intrinsic :: iso_fortran_env, only: int32
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, n, m
  integer(int32), allocatable :: a(:), b(:)
  logical, allocatable :: now(:), next(:)

  do while (next_case(nx, ny, nz, steps))
    n = max(nx, 0)
    m = max(ny, 0)
    call new_array(a, n*m)
    call new_array(b, n*m)
    now = a > 0
    next = b > 0
    call live(now(guard + 1), next(guard + 1), n, m, steps)
    a = merge(1, 0, now)
    b = merge(1, 0, next)
    call dump('now', a)
    call dump('next', b)
    call end_case()
  end do
end program main
