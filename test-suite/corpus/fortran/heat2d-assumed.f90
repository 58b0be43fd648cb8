! Assumed-shape arguments: all strides stand in the descriptors.
module grids
  implicit none

contains

  subroutine heat(a, b, steps)
    double precision, intent(inout) :: a(:, :), b(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j
    do t = 1, steps
      do j = 2, size(a, 2) - 1
        do i = 2, size(a, 1) - 1
          b(i, j) = 0.2d0*(a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
        end do
      end do
      do j = 2, size(a, 2) - 1
        do i = 2, size(a, 1) - 1
          a(i, j) = b(i, j)
        end do
      end do
    end do
  end subroutine heat

  subroutine shaped(a, b, n, m, steps)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout) :: a(n, m), b(n, m)
    call heat(a, b, steps)
  end subroutine shaped

end module grids

program main
  use corpus
  use grids
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call shaped(a, b, max(nx, 0), max(ny, 0), steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
