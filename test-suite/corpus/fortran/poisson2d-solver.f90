! Poisson's equation by a solver of a derived type, until the change is small; its grid and a local one change places, and the
! change of some steps is shown.
module solvers
  implicit none
  type solver
    integer :: n = 0, m = 0
    double precision, allocatable :: u(:, :), f(:, :)
  contains
    procedure :: solve
  end type solver
contains
  subroutine solve(this, tolerance, most, change)
    class(solver), intent(inout) :: this
    double precision, intent(in) :: tolerance
    integer, intent(in) :: most
    double precision, intent(out) :: change
    double precision, allocatable :: new(:, :), tmp(:, :)
    double precision :: difference
    integer :: t

    difference = 0
    allocate (new, source=this%u)
    do t = 1, most
      call sweep(this%u, new, this%f, difference)
      call move_alloc(this%u, tmp)
      call move_alloc(new, this%u)
      call move_alloc(tmp, new)
      if (mod(t, 20) == 0) write (*, '(i0, 1x, es25.17)') t, difference
      if (difference < tolerance) exit
    end do
    change = difference
  end subroutine solve

  subroutine sweep(old, new, f, change)
    double precision, intent(in) :: old(:, :), f(:, :)
    double precision, intent(inout) :: new(:, :)
    double precision, intent(out) :: change
    integer :: i, j

    change = 0
    do j = 2, size(f, 2) - 1
      do i = 2, size(f, 1) - 1
        new(i, j) = 0.25d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 0.01d0*f(i, j))
        change = max(change, abs(new(i, j) - old(i, j)))
      end do
    end do
  end subroutine sweep
end module solvers

program main
  use corpus
  use solvers
  implicit none
  integer :: nx, ny, nz, steps, all
  double precision, allocatable :: a(:), b(:), c(:)
  type(solver) :: s

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, 1)
    all = nx*ny
    allocate (s%u(nx, ny), s%f(nx, ny))
    s%u = reshape(a(1:all), [nx, ny])
    s%f = reshape(b(1:all), [nx, ny])
    call s%solve(0.05d0, steps, c(1))
    a(1:all) = reshape(s%u, [all])
    call dump('u', a)
    call dump('f', b)
    call dump('change', c)
    call end_case()
    deallocate (s%u, s%f)
  end do
end program main
