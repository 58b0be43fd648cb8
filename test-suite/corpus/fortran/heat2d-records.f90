! A whole array goes to an unformatted file every few steps, and its largest value to the screen, before it is assigned.
program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, step
  double precision, allocatable :: a(:), b(:), u(:, :), new(:, :)

  open (10, file='/dev/null', form='unformatted')
  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    if (nx > 0 .and. ny > 0) then
      allocate (u(nx, ny), new(nx, ny))
      u = reshape(a(1:nx*ny), [nx, ny])
      new = reshape(b(1:nx*ny), [nx, ny])
      do step = 1, steps
        new(2:nx - 1, 2:ny - 1) = u(2:nx - 1, 2:ny - 1) &
          + 0.1d0*(u(3:nx, 2:ny - 1) + u(1:nx - 2, 2:ny - 1) + u(2:nx - 1, 3:ny) + u(2:nx - 1, 1:ny - 2) - 4.0d0*u(2:nx - 1, 2:ny - 1))
        if (mod(step, 5) == 0) write (10) new
        if (mod(step, 9) == 0) print *, 'step', step, maxval(new)
        u = new
      end do
      a(1:nx*ny) = reshape(u, [nx*ny])
      b(1:nx*ny) = reshape(new, [nx*ny])
      deallocate (u, new)
    end if
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
