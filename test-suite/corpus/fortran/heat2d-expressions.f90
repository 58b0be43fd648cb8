! Array expressions for the sweep, do concurrent for the copy back.
subroutine heat(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m)
  integer :: t, i, j

  do t = 1, steps
    b(2:n - 1, 2:m - 1) = 0.25d0*(a(1:n - 2, 2:m - 1) + a(3:n, 2:m - 1) &
                                  + a(2:n - 1, 1:m - 2) + a(2:n - 1, 3:m))
    do concurrent(j=2:m - 1, i=2:n - 1)
      a(i, j) = b(i, j)
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
