! A wave solver of a derived type: its step assigns one component to another, whole and as sections; receivers are heard, and
! the energy is shown now and then.
module solvers
  implicit none
  type solver
    integer :: n = 0, m = 0
    double precision, allocatable :: p(:, :), old(:, :), next(:, :)
  contains
    procedure :: step
    procedure :: energy
  end type solver
contains
  subroutine step(this, t)
    class(solver), intent(inout) :: this
    integer, intent(in) :: t
    integer :: i, j

    do j = 2, this%m - 1
      do i = 2, this%n - 1
        this%next(i, j) = 2*this%p(i, j) - this%old(i, j) + 0.2d0*(this%p(i - 1, j) + this%p(i + 1, j) &
            + this%p(i, j - 1) + this%p(i, j + 1) - 4*this%p(i, j))
      end do
    end do
    this%next(this%n/2 + 1, this%m/2 + 1) = this%next(this%n/2 + 1, this%m/2 + 1) + 0.125d0*mod(t, 5)
    this%old(:, :) = this%p(:, :)
    this%p = this%next
  end subroutine step

  double precision function energy(this)
    class(solver), intent(in) :: this
    energy = sum(this%p**2)
  end function energy
end module solvers

program main
  use corpus
  use solvers
  implicit none
  integer, parameter :: receivers = 3
  integer :: nx, ny, nz, steps, t, r, all
  double precision, allocatable :: a(:), b(:), c(:), heard(:, :)
  type(solver) :: s

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, receivers*max(steps, 0))
    s%n = nx
    s%m = ny
    allocate (s%p(nx, ny), s%old(nx, ny), s%next(nx, ny), heard(max(steps, 0), receivers))
    all = nx*ny
    s%p = reshape(a(1:all), [nx, ny])
    s%old = reshape(b(1:all), [nx, ny])
    s%next = s%p
    if (all > 0) call run()
    a(1:all) = reshape(s%p, [all])
    b(1:all) = reshape(s%old, [all])
    c(1:size(heard)) = reshape(heard, [size(heard)])
    call dump('p', a)
    call dump('old', b)
    call dump('heard', c)
    call end_case()
    deallocate (s%p, s%old, s%next, heard)
  end do
contains
  subroutine run()
    do t = 1, steps
      call s%step(t)
      do r = 1, receivers
        heard(t, r) = s%p(nx/3 + 1, r*ny/(receivers + 1) + 1)
      end do
      if (mod(t, 9) == 0) write (*, '(i0, 1x, es25.17)') t, s%energy()
    end do
  end subroutine run
end program main
