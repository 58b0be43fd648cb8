! Allocatable arrays of a module; the sweep and the copy back are subroutines of it.
module plate
  implicit none
  double precision, allocatable :: old(:, :), new(:, :)
  integer :: n, m

contains

  subroutine sweep()
    integer :: i, j
    do j = 2, m - 1
      do i = 2, n - 1
        new(i, j) = old(i, j) + 0.1d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) &
                                       + old(i, j + 1) - 4.0d0*old(i, j))
      end do
    end do
  end subroutine sweep

  subroutine back()
    integer :: i, j
    do j = 2, m - 1
      do i = 2, n - 1
        old(i, j) = new(i, j)
      end do
    end do
  end subroutine back

  subroutine heat(steps)
    integer, intent(in) :: steps
    integer :: t
    do t = 1, steps
      call sweep()
      call back()
    end do
  end subroutine heat

end module plate

program main
  use corpus
  use plate
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    allocate (old(n, m), new(n, m))
    old = reshape(a(1:n*m), [n, m])
    new = reshape(b(1:n*m), [n, m])
    call heat(steps)
    a(1:n*m) = reshape(old, [n*m])
    b(1:n*m) = reshape(new, [n*m])
    deallocate (old, new)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
