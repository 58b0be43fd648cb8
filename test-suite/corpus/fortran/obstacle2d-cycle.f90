! What a cell is made of says what becomes of it: select case, and cells that are left out with cycle.
subroutine warm(now, next, kind_of, n, m, steps)
  implicit none
  integer, parameter :: fluid = 0, wall = 1, heater = 2
  integer, intent(in) :: n, m, steps, kind_of(n, m)
  double precision, intent(inout) :: now(n, m), next(n, m)
  integer :: t, i, j

  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        if (kind_of(i, j) == wall) cycle
        select case (kind_of(i, j))
        case (fluid)
          next(i, j) = 0.2d0*(now(i, j) + now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))
        case (heater)
          next(i, j) = 0.2d0*(now(i, j) + now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1)) + 0.01d0
        case default
          next(i, j) = 0
        end select
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        now(i, j) = next(i, j)
      end do
    end do
  end do
end subroutine warm

program main
  use, intrinsic :: iso_fortran_env, only: int32
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: now(:), next(:)
  integer(int32), allocatable :: kind_of(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(now, points(nx, ny, 1))
    call new_array(next, points(nx, ny, 1))
    call new_array(kind_of, points(nx, ny, 1))
    kind_of = modulo(kind_of, 4)
    call warm(now(1), next(1), kind_of(1), nx, ny, steps)
    call dump('now', now)
    call dump('next', next)
    call end_case()
  end do
end program main
