! Sound in allocatable arrays of a module, of which a file has a column every few steps, before the levels move on whole.
module shared
  implicit none
  double precision, allocatable :: before(:, :), now(:, :), next(:, :), speed(:, :)
contains
  subroutine advance()
    integer :: i, j

    do j = 2, size(now, 2) - 1
      do i = 2, size(now, 1) - 1
        next(i, j) = 2.0d0*now(i, j) - before(i, j) &
                     + speed(i, j)*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4.0d0*now(i, j))
      end do
    end do
    next(1, :) = next(2, :)
    next(:, size(next, 2)) = next(:, size(next, 2) - 1)
  end subroutine advance
end module shared

program main
  use corpus
  use shared
  implicit none
  integer :: nx, ny, nz, steps, step
  double precision, allocatable :: a(:), b(:), c(:)

  open (10, file='/dev/null')
  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, points(nx, ny, 1))
    if (nx > 1 .and. ny > 1) then
      allocate (before(nx, ny), now(nx, ny), next(nx, ny), speed(nx, ny))
      before = reshape(a(1:nx*ny), [nx, ny])
      now = reshape(b(1:nx*ny), [nx, ny])
      next = now
      speed = reshape(0.001d0*c(1:nx*ny), [nx, ny])
      do step = 1, steps
        call advance()
        if (mod(step, 6) == 0) then
          write (10, *) step, next(:, ny/2)
        end if
        before = now
        now = next
      end do
      a(1:nx*ny) = reshape(before, [nx*ny])
      b(1:nx*ny) = reshape(now, [nx*ny])
      c(1:nx*ny) = reshape(next, [nx*ny])
      deallocate (before, now, next, speed)
    end if
    call dump('a', a)
    call dump('b', b)
    call dump('c', c)
    call end_case()
  end do
end program main
