! Sweeps are timed by cpu_time, and the time loop by system_clock; what sweeps have taken is added up.
module plates
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine heat(u, v, steps, inside, outside)
    real(dp), intent(inout) :: u(:, :), v(:, :)
    integer, intent(in) :: steps
    real(dp), intent(out) :: inside, outside
    real(dp) :: start, finish
    integer(int64) :: first, last, rate
    integer :: t, i, j

    inside = 0
    call system_clock(first, rate)
    do t = 1, steps
      call cpu_time(start)
      do j = 2, size(u, 2) - 1
        do i = 2, size(u, 1) - 1
          v(i, j) = 0.25_dp*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        end do
      end do
      call cpu_time(finish)
      inside = inside + (finish - start)
      do j = 2, size(u, 2) - 1
        do i = 2, size(u, 1) - 1
          u(i, j) = v(i, j)
        end do
      end do
    end do
    call system_clock(last)
    outside = real(last - first, dp)/real(rate, dp)
  end subroutine heat
end module plates

program main
  use corpus
  use plates
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real(dp) :: inside, outside
  real(dp), allocatable :: a(:), b(:), u(:, :), v(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    u = reshape(a(1:n*m), [n, m])
    v = reshape(b(1:n*m), [n, m])
    call heat(u, v, steps, inside, outside)
    if (inside < 0 .or. outside < 0) print *, 'a clock went backwards'
    a(1:n*m) = reshape(u, [n*m])
    b(1:n*m) = reshape(v, [n*m])
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
