! Heat on a plate: one loop over all points, row and column by division.
subroutine heat(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n*m), b(n*m)
  integer :: t, k, i, j

  do t = 1, steps
    do k = 0, n*m - 1
      j = k/n
      i = mod(k, n)
      if (i > 0 .and. i < n - 1 .and. j > 0 .and. j < m - 1) then
        b(k + 1) = a(k + 1) + 0.1d0*(a(k) + a(k + 2) + a(k + 1 - n) + a(k + 1 + n) - 4.0d0*a(k + 1))
      end if
    end do
    do k = 1, n*m
      a(k) = b(k)
    end do
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call heat(a(1), b(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
