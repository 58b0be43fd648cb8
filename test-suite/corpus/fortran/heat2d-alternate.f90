! Odd steps go from the first array to the second, even ones back, each written out.
subroutine heat(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m)
  integer :: t, i, j

  do t = 1, steps
    if (mod(t, 2) == 1) then
      do j = 2, m - 1
        do i = 2, n - 1
          b(i, j) = 0.25d0*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
        end do
      end do
    else
      do j = 2, m - 1
        do i = 2, n - 1
          a(i, j) = 0.25d0*(b(i - 1, j) + b(i + 1, j) + b(i, j - 1) + b(i, j + 1))
        end do
      end do
    end if
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
    call heat(a, b, nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
