! The largest change is that of an array expression, which flang computes in an array that it allocates in each step.
subroutine poisson(u, v, n, m, most)
  implicit none
  integer, intent(in) :: n, m, most
  double precision, intent(inout) :: u(n, m), v(n, m)
  double precision :: change
  integer :: i, j, t

  do t = 1, most
    do j = 2, m - 1
      do i = 2, n - 1
        v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    change = maxval(abs(v - u))
    u = v
    if (change < 0.05d0) exit
  end do
end subroutine poisson

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call poisson(a, b, nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
