! Two allocatable arrays of a module that take turns: which of them is new, the step's parity says.
module plates
  implicit none
  double precision, allocatable :: a(:, :), b(:, :)
contains
  subroutine step(next, last, n, m)
    integer, intent(in) :: n, m
    double precision, intent(inout) :: next(n, m)
    double precision, intent(in) :: last(n, m)
    integer :: i, j

    do j = 2, m - 1
      do i = 2, n - 1
        next(i, j) = last(i, j) + 0.2d0 * (last(i - 1, j) + last(i + 1, j) + last(i, j - 1) + last(i, j + 1) &
          - 4d0 * last(i, j))
      end do
    end do
  end subroutine step

  subroutine run(n, m, steps)
    integer, intent(in) :: n, m, steps
    integer :: time

    do time = 0, steps - 1
      if (mod(time, 2) == 1) then
        call step(a, b, n, m)
      else
        call step(b, a, n, m)
      end if
    end do
  end subroutine run
end module plates

program main
  use corpus
  use plates
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    allocate(a(nx, ny), b(nx, ny))
    a = reshape(u, [nx, ny])
    b = a
    call run(nx, ny, steps)
    call dump('a', reshape(a, [nx * ny]))
    call dump('b', reshape(b, [nx * ny]))
    deallocate(a, b)
    call end_case()
  end do
end program main
