! Borders follow the neighbouring rows and columns, as sections of the same array: where flang can't tell that they don't
! overlap, it has its runtime copy them.
subroutine relax(p, q, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: p(n, m), q(n, m)
  double precision, intent(in) :: b(n, m)
  integer :: t, i, j

  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        q(i, j) = 0.25d0*(p(i - 1, j) + p(i + 1, j) + p(i, j - 1) + p(i, j + 1) - b(i, j))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        p(i, j) = q(i, j)
      end do
    end do
    p(:, m) = p(:, m - 1)
    p(1, :) = p(2, :)
    p(:, 1) = p(:, 2)
    p(n, :) = p(n - 1, :)
  end do
end subroutine relax

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: p(:), q(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(p, points(nx, ny, 1))
    call new_array(q, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call relax(p(1), q(1), b(1), nx, ny, steps)
    call dump('p', p)
    call end_case()
  end do
end program main
