! Heat in arrays of a module that also has the counters of all its procedures, one of which writes a file now and then.
module shared
  implicit none
  integer :: i, j
  double precision, allocatable :: u(:, :), next(:, :)
contains
  subroutine spread()
    do j = 2, size(u, 2) - 1
      do i = 2, size(u, 1) - 1
        next(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
      end do
    end do
  end subroutine spread

  subroutine keep(step)
    integer, intent(in) :: step

    open (10, file='/dev/null', form='unformatted', access='stream')
    write (10) step, u
    close (10)
  end subroutine keep
end module shared

program main
  use corpus
  use shared
  implicit none
  integer :: nx, ny, nz, steps, step
  double precision, allocatable :: a(:), b(:), counters(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(counters, points(2, 1, 1))
    i = -1
    j = -1
    if (nx > 0 .and. ny > 0) then
      allocate (u(nx, ny), next(nx, ny))
      u = reshape(a(1:nx*ny), [nx, ny])
      next = reshape(b(1:nx*ny), [nx, ny])
      do step = 1, steps
        call spread()
        do j = 2, ny - 1
          do i = 2, nx - 1
            u(i, j) = next(i, j)
          end do
        end do
        if (mod(step, 7) == 0) call keep(step)
      end do
      a(1:nx*ny) = reshape(u, [nx*ny])
      b(1:nx*ny) = reshape(next, [nx*ny])
      deallocate (u, next)
    end if
    counters(1) = i
    counters(2) = j
    call dump('a', a)
    call dump('b', b)
    call dump('counters', counters)
    call end_case()
  end do
end program main
