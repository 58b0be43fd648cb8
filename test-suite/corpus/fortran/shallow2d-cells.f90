! Waves in cells of a derived type; the walls are copies of whole cells, turned round.

module waves
  implicit none
  type state
    double precision :: h, hu, hv
  end type state
contains
  subroutine walls(q, n, m)
    integer, intent(in) :: n, m
    type(state), intent(inout) :: q(n, m)
    integer :: i

    do i = 1, n
      q(i, 1) = q(i, 2)
      q(i, 1)%hv = -q(i, 1)%hv
      q(i, m) = q(i, m - 1)
      q(i, m)%hv = -q(i, m)%hv
    end do
    do i = 1, m
      q(1, i) = q(2, i)
      q(1, i)%hu = -q(1, i)%hu
      q(n, i) = q(n - 1, i)
      q(n, i)%hu = -q(n, i)%hu
    end do
  end subroutine walls

  subroutine flow(q, next, steps)
    type(state), contiguous, intent(inout) :: q(:, :), next(:, :)
    integer, intent(in) :: steps
    integer :: i, j, t, n, m

    n = size(q, 1)
    m = size(q, 2)
    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          next(i, j)%h = 0.25d0 * (q(i + 1, j)%h + q(i - 1, j)%h + q(i, j + 1)%h + q(i, j - 1)%h) &
              - 0.1d0 * (q(i + 1, j)%hu - q(i - 1, j)%hu + q(i, j + 1)%hv - q(i, j - 1)%hv)
          next(i, j)%hu = 0.25d0 * (q(i + 1, j)%hu + q(i - 1, j)%hu + q(i, j + 1)%hu + q(i, j - 1)%hu) &
              - 0.1d0 * (q(i + 1, j)%h - q(i - 1, j)%h)
          next(i, j)%hv = 0.25d0 * (q(i + 1, j)%hv + q(i - 1, j)%hv + q(i, j + 1)%hv + q(i, j - 1)%hv) &
              - 0.1d0 * (q(i, j + 1)%h - q(i, j - 1)%h)
        end do
      end do
      call walls(next, n, m)
      do j = 1, m
        do i = 1, n
          q(i, j) = next(i, j)
        end do
      end do
    end do
  end subroutine flow
end module waves

program main
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use corpus
  use waves
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable, target :: a(:), b(:)
  type(state), pointer :: q(:, :), next(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 3))
    call new_array(b, points(nx, ny, 3))
    call c_f_pointer(c_loc(a(1)), q, [nx, ny])
    call c_f_pointer(c_loc(b(1)), next, [nx, ny])
    call flow(q, next, steps)
    call dump('q', a)
    call dump('next', b)
    call end_case()
  end do
end program main
