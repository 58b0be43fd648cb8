! Cells under a mask are left out by where.
subroutine heat(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m)
  integer :: t
  logical :: free(n, m)

  free = abs(b) < 0.9d0
  do t = 1, steps
    where (free(2:n - 1, 2:m - 1))
      b(2:n - 1, 2:m - 1) = 0.25d0*(a(1:n - 2, 2:m - 1) + a(3:n, 2:m - 1) + a(2:n - 1, 1:m - 2) + a(2:n - 1, 3:m))
    elsewhere
      b(2:n - 1, 2:m - 1) = a(2:n - 1, 2:m - 1)
    end where
    a(2:n - 1, 2:m - 1) = b(2:n - 1, 2:m - 1)
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
