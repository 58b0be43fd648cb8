! Pointers to two grids are swapped after each step.
module plate
  implicit none
contains
  subroutine heat(a, b, n, m, steps)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout), target :: a(n, m), b(n, m)
    double precision, pointer :: old(:, :), new(:, :), kept(:, :)
    integer :: t, i, j

    old => a
    new => b
    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          new(i, j) = old(i, j) + 0.1d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4.0d0*old(i, j))
        end do
      end do
      kept => old
      old => new
      new => kept
    end do
  end subroutine heat
end module plate

program main
  use corpus
  use plate
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable, target :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call heat(a(1), b(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
