! Convolution with a kernel of three by three weights, whose subscripts begin at -1: two loops for the points, two for the
! kernel.
subroutine blur(now, next, kernel, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: now(n, m), next(n, m)
  double precision, intent(in) :: kernel(-1:1, -1:1)
  double precision :: weighted
  integer :: t, i, j, k, l

  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        weighted = 0
        do l = -1, 1
          do k = -1, 1
            weighted = weighted + kernel(k, l)*now(i + k, j + l)
          end do
        end do
        next(i, j) = weighted
      end do
    end do
    now(2:n - 1, 2:m - 1) = next(2:n - 1, 2:m - 1)
  end do
end subroutine blur

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: now(:), next(:)
  double precision, parameter :: kernel(3, 3) = &
    reshape([1d0, 2d0, 1d0, 2d0, 4d0, 2d0, 1d0, 2d0, 1d0], [3, 3])/16d0

  do while (next_case(nx, ny, nz, steps))
    call new_array(now, points(nx, ny, 1))
    call new_array(next, points(nx, ny, 1))
    call blur(now(1), next(1), kernel, nx, ny, steps)
    call dump('now', now)
    call dump('next', next)
    call end_case()
  end do
end program main
