! A function is called with the counters of loops, which the time loop uses again: they live in memory.
subroutine heat(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m)
  double precision, external :: corner
  integer :: t, i, j

  do j = 1, m
    do i = 1, n
      b(i, j) = b(i, j) + corner(i, j)
    end do
  end do
  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        a(i, j) = b(i, j)
      end do
    end do
  end do
  if (n > 0 .and. m > 0) b(1, 1) = corner(i, j) + t
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

function corner(i, j)
  implicit none
  integer, intent(inout) :: i, j
  double precision :: corner

  corner = i + 1000.0d0*j
end function corner
