! Laplace's equation in a subroutine, whose allocatable argument is assigned whole after each sweep, until the largest change,
! which is computed in an array of its own, is small.
module relaxation
  implicit none
contains
  subroutine solve(u, new, steps, tolerance, taken)
    double precision, allocatable, intent(inout) :: u(:, :), new(:, :)
    integer, intent(in) :: steps
    double precision, intent(in) :: tolerance
    integer, intent(out) :: taken
    double precision :: change
    integer :: i, j

    do taken = 1, steps
      do j = 2, size(u, 2) - 1
        do i = 2, size(u, 1) - 1
          new(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        end do
      end do
      change = maxval(abs(new - u))
      u = new
      if (change < tolerance) exit
    end do
  end subroutine solve

  subroutine smooth(u, new, steps)
    double precision, allocatable, intent(inout) :: u(:, :), new(:, :)
    integer, intent(in) :: steps
    integer :: i, j, step

    do step = 1, steps
      do j = 2, size(u, 2) - 1
        do i = 2, size(u, 1) - 1
          new(i, j) = 0.5d0*u(i, j) + 0.125d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        end do
      end do
      u = new
      if (step == 17) exit
    end do
  end subroutine smooth
end module relaxation

subroutine run(a, b, taken, n, m, steps)
  use relaxation
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m), taken(1)
  double precision, allocatable :: u(:, :), new(:, :)
  integer :: count

  allocate (u(n, m), new(n, m))
  u = a
  new = b
  call solve(u, new, steps, 0.02d0, count)
  call smooth(u, new, steps)
  a = u
  b = new
  taken(1) = count
end subroutine run

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:), taken(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(taken, points(1, 1, 1))
    if (nx > 0 .and. ny > 0) call run(a(1), b(1), taken(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call dump('taken', taken)
    call end_case()
  end do
end program main
