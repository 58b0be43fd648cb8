! Heat on pointers of the main program, with a line of progress in each step before they change places.
program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, step, i, j
  double precision, allocatable :: a(:), b(:)
  double precision, pointer :: now(:, :), next(:, :), kept(:, :)
  double precision :: time

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    if (nx > 0 .and. ny > 0) then
      allocate (now(nx, ny), next(nx, ny))
      now = reshape(a(1:nx*ny), [nx, ny])
      next = reshape(b(1:nx*ny), [nx, ny])
      time = 0.0d0
      do step = 1, steps
        do j = 2, ny - 1
          do i = 2, nx - 1
            next(i, j) = now(i, j) + 0.1d0*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4.0d0*now(i, j))
          end do
        end do
        time = time + 0.1d0
        write (*, '(a, i6, a, f12.4)') 'step ', step, ', time ', time
        kept => now
        now => next
        next => kept
      end do
      a(1:nx*ny) = reshape(now, [nx*ny])
      b(1:nx*ny) = reshape(next, [nx*ny])
      deallocate (now, next)
    end if
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
