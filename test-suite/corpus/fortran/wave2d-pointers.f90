! The wave equation on three pointers that are rotated, with a speed for each point.
module membranes
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine waves(a, b, c, speed, n, m, steps)
    integer, intent(in) :: n, m, steps
    real(dp), intent(inout), target :: a(n, m), b(n, m), c(n, m)
    real(dp), intent(in) :: speed(n, m)
    real(dp), pointer :: old(:, :), now(:, :), next(:, :), spare(:, :)
    integer :: t, i, j

    old => a
    now => b
    next => c
    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          next(i, j) = 2*now(i, j) - old(i, j) + (0.1_dp + 0.01_dp*speed(i, j)) &
                       *(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4*now(i, j))
        end do
      end do
      spare => old
      old => now
      now => next
      next => spare
    end do
  end subroutine waves
end module membranes

program main
  use corpus
  use membranes
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable, target :: a(:), b(:), c(:), speed(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, points(nx, ny, 1))
    call new_array(speed, points(nx, ny, 1))
    call waves(a(1), b(1), c(1), speed(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call dump('c', c)
    call end_case()
  end do
end program main
