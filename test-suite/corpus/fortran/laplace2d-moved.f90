! Laplace's equation in a subroutine until the largest change is small: its allocatable arguments change places.
module relaxation
  implicit none
contains
  subroutine solve(u, new, steps, tolerance, taken)
    double precision, allocatable, intent(inout) :: u(:, :), new(:, :)
    integer, intent(in) :: steps
    double precision, intent(in) :: tolerance
    integer, intent(out) :: taken
    double precision, allocatable :: kept(:, :)
    double precision :: change
    integer :: i, j, step

    taken = 0
    do step = 1, steps
      change = 0.0d0
      do j = 2, size(u, 2) - 1
        do i = 2, size(u, 1) - 1
          new(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
          change = max(change, abs(new(i, j) - u(i, j)))
        end do
      end do
      call move_alloc(u, kept)
      call move_alloc(new, u)
      call move_alloc(kept, new)
      taken = step
      if (change < tolerance) exit
    end do
  end subroutine solve
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
