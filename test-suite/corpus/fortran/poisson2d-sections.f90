! Borders follow the neighbouring rows and columns, as sections of the same allocatable array: where flang can't tell
! that they don't overlap, it has its runtime copy them.
module plates
  implicit none
  double precision, allocatable :: p(:, :), q(:, :)
contains
  subroutine relax(b, n, m, steps)
    integer, intent(in) :: n, m, steps
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
end module plates

program main
  use corpus
  use plates
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: start(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(start, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    if (min(nx, ny) >= 2) then
      allocate (p(nx, ny), q(nx, ny))
      p = reshape(start, [nx, ny])
      q = p
      call relax(b(1), nx, ny, steps)
      start = reshape(p, [nx*ny])
      deallocate (p, q)
    end if
    call dump('p', start)
    call end_case()
  end do
end program main
