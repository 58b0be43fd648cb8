! The scheme is a dummy procedure: two nests, one for each that a caller passes.
module schemes
  implicit none
  abstract interface
    subroutine scheme(u, v, nx, ny)
      integer, intent(in) :: nx, ny
      double precision, intent(in) :: u(nx, ny)
      double precision, intent(inout) :: v(nx, ny)
    end subroutine scheme
  end interface
contains
  subroutine five_points(u, v, nx, ny)
    integer, intent(in) :: nx, ny
    double precision, intent(in) :: u(nx, ny)
    double precision, intent(inout) :: v(nx, ny)
    integer :: i, j

    do j = 2, ny - 1
      do i = 2, nx - 1
        v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine five_points

  subroutine damped(u, v, nx, ny)
    integer, intent(in) :: nx, ny
    double precision, intent(in) :: u(nx, ny)
    double precision, intent(inout) :: v(nx, ny)
    integer :: i, j

    do j = 2, ny - 1
      do i = 2, nx - 1
        v(i, j) = 0.5d0*u(i, j) + 0.125d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine damped

  subroutine run(step, u, v, nx, ny, steps)
    procedure(scheme) :: step
    integer, intent(in) :: nx, ny, steps
    double precision, intent(inout) :: u(nx, ny), v(nx, ny)
    integer :: t

    do t = 1, steps
      call step(u, v, nx, ny)
      call step(v, u, nx, ny)
    end do
  end subroutine run
end module schemes

program main
  use corpus
  use schemes
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call run(five_points, a, b, nx, ny, steps)
    call run(damped, a, b, nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
