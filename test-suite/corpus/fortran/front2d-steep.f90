! A front that moves at a speed of its own: the level set grows by the length of its slope, a square root for each point.
module fronts
  implicit none
contains
  pure real function slope(west, here, east, south, north)
    real, intent(in) :: west, here, east, south, north
    slope = sqrt(max(here - west, 0.0)**2 + min(east - here, 0.0)**2 + max(here - south, 0.0)**2 &
                 + min(north - here, 0.0)**2)
  end function slope

  subroutine spread_out(phi, next, speed, steps)
    real, intent(inout) :: phi(:, :), next(:, :)
    real, intent(in) :: speed(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      do j = 2, size(phi, 2) - 1
        do i = 2, size(phi, 1) - 1
          next(i, j) = phi(i, j) - 0.1*speed(i, j) &
                       *slope(phi(i - 1, j), phi(i, j), phi(i + 1, j), phi(i, j - 1), phi(i, j + 1))
        end do
      end do
      do j = 2, size(phi, 2) - 1
        do i = 2, size(phi, 1) - 1
          phi(i, j) = next(i, j)
        end do
      end do
    end do
  end subroutine spread_out
end module fronts

program main
  use corpus
  use fronts
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real, allocatable :: a(:), b(:), c(:), phi(:, :), next(:, :), speed(:, :)

  do while (next_case(nx, ny, nz, steps))
    n = max(nx, 0)
    m = max(ny, 0)
    call new_array(a, n*m)
    call new_array(b, n*m)
    call new_array(c, n*m)
    phi = reshape(a(1:n*m), [n, m])
    next = reshape(b(1:n*m), [n, m])
    speed = abs(reshape(c(1:n*m), [n, m]))
    call spread_out(phi, next, speed, steps)
    a(1:n*m) = reshape(phi, [n*m])
    b(1:n*m) = reshape(next, [n*m])
    call dump('phi', a)
    call dump('next', b)
    call end_case()
  end do
end program main
