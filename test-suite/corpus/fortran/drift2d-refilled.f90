! Drift on a torus: new values are copied back, then the halo is filled by sections from the opposite sides.
module torus
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine drift(u, v, n, m, steps)
    integer, intent(in) :: n, m, steps
    real(dp), intent(inout) :: u(0:n + 1, 0:m + 1), v(0:n + 1, 0:m + 1)
    integer :: t, i, j

    do t = 1, steps
      do j = 1, m
        do i = 1, n
          v(i, j) = u(i, j) - 0.2_dp*(u(i, j) - u(i - 1, j)) - 0.1_dp*(u(i, j + 1) - u(i, j - 1))
        end do
      end do
      do j = 1, m
        do i = 1, n
          u(i, j) = v(i, j)
        end do
      end do
      u(0, 1:m) = u(n, 1:m)
      u(n + 1, 1:m) = u(1, 1:m)
      u(0:n + 1, 0) = u(0:n + 1, m)
      u(0:n + 1, m + 1) = u(0:n + 1, 1)
    end do
  end subroutine drift
end module torus

program main
  use corpus
  use torus
  implicit none
  integer :: nx, ny, nz, steps
  real(dp), allocatable :: u(:), v(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx + 2, ny + 2, 1))
    call new_array(v, points(nx + 2, ny + 2, 1))
    call drift(u(1), v(1), nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
