! The grids are parts of derived types and change places by move_alloc.
module plates
  implicit none
  type :: plate
    integer :: n = 0, m = 0
    double precision, allocatable :: heat(:, :)
  end type plate
contains
  subroutine evolve(now, next, rate)
    type(plate), intent(in) :: now
    type(plate), intent(inout) :: next
    double precision, intent(in) :: rate
    integer :: i, j

    do j = 2, next%m - 1
      do i = 2, next%n - 1
        next%heat(i, j) = now%heat(i, j) + rate*(now%heat(i - 1, j) + now%heat(i + 1, j) + now%heat(i, j - 1) &
                                                 + now%heat(i, j + 1) - 4.0d0*now%heat(i, j))
      end do
    end do
  end subroutine evolve

  subroutine swap(a, b)
    type(plate), intent(inout) :: a, b
    double precision, allocatable :: kept(:, :)

    call move_alloc(a%heat, kept)
    call move_alloc(b%heat, a%heat)
    call move_alloc(kept, b%heat)
  end subroutine swap
end module plates

subroutine run(a, b, n, m, steps)
  use plates
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m)
  type(plate) :: now, next
  integer :: step

  now%n = n
  now%m = m
  next%n = n
  next%m = m
  allocate (now%heat(n, m), next%heat(n, m))
  now%heat = a
  next%heat = b
  do step = 1, steps
    call evolve(now, next, 0.1d0)
    call swap(now, next)
  end do
  a = now%heat
  b = next%heat
end subroutine run

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    if (nx > 0 .and. ny > 0) call run(a(1), b(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
