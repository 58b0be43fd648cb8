! A solver whose step is a procedure bound to its type, which nobody overrides, and so is the time loop that calls it.
module plates
  implicit none
  integer, parameter :: dp = kind(1d0)

  type :: plate
    private
    integer :: n = 0, m = 0
    real(dp) :: alpha = 0.1_dp
    real(dp), allocatable, public :: now(:, :), next(:, :)
  contains
    procedure :: init
    procedure, non_overridable :: step
    procedure :: run
  end type plate

contains

  subroutine init(self, now, next)
    class(plate), intent(inout) :: self
    real(dp), intent(in) :: now(:, :), next(:, :)
    self%n = size(now, 1)
    self%m = size(now, 2)
    self%now = now
    self%next = next
  end subroutine init

  subroutine step(self)
    class(plate), intent(inout) :: self
    integer :: i, j

    do j = 2, self%m - 1
      do i = 2, self%n - 1
        self%next(i, j) = self%now(i, j) + self%alpha*(self%now(i - 1, j) + self%now(i + 1, j) + self%now(i, j - 1) &
                                                       + self%now(i, j + 1) - 4*self%now(i, j))
      end do
    end do
    do j = 2, self%m - 1
      do i = 2, self%n - 1
        self%now(i, j) = self%next(i, j)
      end do
    end do
  end subroutine step

  subroutine run(self, steps)
    class(plate), intent(inout) :: self
    integer, intent(in) :: steps
    integer :: t

    do t = 1, steps
      call self%step()
    end do
  end subroutine run

end module plates

program main
  use corpus
  use plates
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real(dp), allocatable :: a(:), b(:)
  type(plate) :: one

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    call one%init(reshape(a(1:n*m), [n, m]), reshape(b(1:n*m), [n, m]))
    call one%run(steps)
    a(1:n*m) = reshape(one%now, [n*m])
    b(1:n*m) = reshape(one%next, [n*m])
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
