! Until a time that is a number of a module; a whole allocatable array is assigned in each step.
module heat
  implicit none
  double precision, allocatable :: u(:, :), next(:, :)
  double precision :: until, dt
  integer :: n, m
contains
  subroutine run()
    double precision :: time
    integer :: i, j

    time = 0
    do while (time < until)
      do j = 2, m - 1
        do i = 2, n - 1
          next(i, j) = u(i, j) + dt * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
        end do
      end do
      next(1, :) = u(1, :)
      next(:, 1) = u(:, 1)
      next(n, :) = u(n, :)
      next(:, m) = u(:, m)
      u = next
      time = time + dt
    end do
  end subroutine run
end module heat

program main
  use corpus
  use heat
  implicit none
  integer :: nx, ny, nz, steps, i, j
  double precision, allocatable :: first(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(first, points(nx, ny, 1))
    n = max(nx, 1)
    m = max(ny, 1)
    allocate(u(n, m), next(n, m))
    u = 1
    next = 0
    do j = 1, ny
      do i = 1, nx
        u(i, j) = first(i + nx * (j - 1))
      end do
    end do
    dt = 0.125d0
    until = steps * dt
    call run()
    do j = 1, ny
      do i = 1, nx
        first(i + nx * (j - 1)) = u(i, j)
      end do
    end do
    call dump('u', first)
    deallocate(u, next)
    call end_case()
  end do
end program main
