! Solvers as objects: the base has the time loop, and a step that its extensions bring; which of them runs is known when
! it is allocated.
module solvers
  implicit none
  integer, parameter :: dp = kind(1d0)

  type, abstract :: solver
    integer :: n, m
    real(dp), allocatable :: u(:, :), v(:, :)
  contains
    procedure(step_of), deferred :: step
    procedure :: run
  end type solver

  abstract interface
    subroutine step_of(self)
      import solver
      class(solver), intent(inout) :: self
    end subroutine step_of
  end interface

  type, extends(solver) :: jacobi
  contains
    procedure :: step => step_jacobi
  end type jacobi

  type, extends(solver) :: damped
    real(dp) :: weight = 0.75_dp
  contains
    procedure :: step => step_damped
  end type damped

contains

  subroutine run(self, steps)
    class(solver), intent(inout) :: self
    integer, intent(in) :: steps
    integer :: t

    do t = 1, steps
      call self%step()
    end do
  end subroutine run

  subroutine step_jacobi(self)
    class(jacobi), intent(inout) :: self
    integer :: i, j

    do j = 2, self%m - 1
      do i = 2, self%n - 1
        self%v(i, j) = 0.25_dp*(self%u(i - 1, j) + self%u(i + 1, j) + self%u(i, j - 1) + self%u(i, j + 1))
      end do
    end do
    do j = 2, self%m - 1
      do i = 2, self%n - 1
        self%u(i, j) = self%v(i, j)
      end do
    end do
  end subroutine step_jacobi

  subroutine step_damped(self)
    class(damped), intent(inout) :: self
    integer :: i, j

    do j = 2, self%m - 1
      do i = 2, self%n - 1
        self%v(i, j) = (1 - self%weight)*self%u(i, j) + 0.25_dp*self%weight &
                       *(self%u(i - 1, j) + self%u(i + 1, j) + self%u(i, j - 1) + self%u(i, j + 1))
      end do
    end do
    do j = 2, self%m - 1
      do i = 2, self%n - 1
        self%u(i, j) = self%v(i, j)
      end do
    end do
  end subroutine step_damped

end module solvers

program main
  use corpus
  use solvers
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real(dp), allocatable :: a(:), b(:)
  class(solver), allocatable :: one

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    if (mod(steps, 2) == 0) then
      allocate (jacobi :: one)
    else
      allocate (damped :: one)
    end if
    one%n = n
    one%m = m
    one%u = reshape(a(1:n*m), [n, m])
    one%v = reshape(b(1:n*m), [n, m])
    call one%run(steps)
    a(1:n*m) = reshape(one%u, [n*m])
    b(1:n*m) = reshape(one%v, [n*m])
    deallocate (one)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
