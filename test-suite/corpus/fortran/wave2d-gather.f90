! The wave equation of a main program as students write it: allocatable arrays, a line of receivers that each step keeps,
! and values that are shown every few steps, before the time levels are assigned.
program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, t, i, j, all
  double precision, allocatable :: a(:), b(:), c(:)
  double precision, allocatable :: p(:, :), u(:, :), next(:, :), gather(:, :), wavelet(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, points(max(steps, 0), nx, 1))
    allocate (p(nx, ny), u(nx, ny), next(nx, ny), gather(max(steps, 0), nx), wavelet(max(steps, 0)))
    all = size(p)
    p = reshape(a(1:all), [nx, ny])
    u = reshape(b(1:all), [nx, ny])
    next = u
    gather = reshape(c(1:size(gather)), [max(steps, 0), nx])
    do t = 1, steps
      wavelet(t) = 0.125d0*(mod(t, 5) - 2)
    end do
    do t = 1, steps
      u(nx/2 + 1, ny/2 + 1) = u(nx/2 + 1, ny/2 + 1) + wavelet(t)
      do j = 2, ny - 1
        do i = 2, nx - 1
          next(i, j) = 2*u(i, j) - p(i, j) + 0.2d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
        end do
      end do
      if (mod(t, 6) == 0) write (*, *) t, next(nx/2, ny/3 + 1)
      p = u
      u = next
      gather(t, :) = u(:, 2)
    end do
    a(1:all) = reshape(p, [all])
    b(1:all) = reshape(u, [all])
    c(1:size(gather)) = reshape(gather, [size(gather)])
    call dump('a', a)
    call dump('b', b)
    call dump('gather', c)
    call end_case()
    deallocate (p, u, next, gather, wavelet)
  end do
end program main
