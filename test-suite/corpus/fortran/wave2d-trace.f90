! The wave equation on allocatable arrays of a module, with a source and what one point does in all steps.
module waves
  implicit none
  double precision, allocatable :: p(:, :), u(:, :), next(:, :), trace(:)
contains
  subroutine wave(n, m, steps, at, from)
    integer, intent(in) :: n, m, steps, at, from
    integer :: t, i, j

    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          next(i, j) = 2*u(i, j) - p(i, j) + 0.2d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
        end do
      end do
      next(at, from) = next(at, from) + 0.125d0*mod(t, 5)
      trace(t) = next(n/3 + 1, m/3 + 1)
      p = u
      u = next
    end do
  end subroutine wave
end module waves

program main
  use corpus
  use waves
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:), c(:)
  integer :: all

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, max(steps, 0))
    allocate (p(nx, ny), u(nx, ny), next(nx, ny), trace(max(steps, 0)))
    all = size(p)
    p = reshape(a(1:all), [nx, ny])
    u = reshape(b(1:all), [nx, ny])
    next = u
    trace = c(1:size(trace))
    call wave(nx, ny, steps, nx/2 + 1, ny/2 + 1)
    a(1:all) = reshape(p, [all])
    b(1:all) = reshape(u, [all])
    c(1:size(trace)) = trace
    call dump('a', a)
    call dump('b', b)
    call dump('trace', c)
    call end_case()
    deallocate (p, u, next, trace)
  end do
end program main
