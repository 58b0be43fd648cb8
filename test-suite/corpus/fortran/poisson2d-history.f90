! All iterations are kept in the last dimension of an allocatable array.
subroutine relax(start, n, m, steps, last)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(in) :: start(n, m)
  double precision, intent(out) :: last(n, m)
  double precision, dimension(:, :, :), allocatable :: p
  integer :: i, j, k

  allocate (p(1:n, 1:m, 1:max(steps, 0) + 1))
  do k = 1, max(steps, 0) + 1
    p(:, :, k) = start
  end do
  do k = 1, steps
    do i = 2, n - 1
      do j = 2, m - 1
        p(i, j, k + 1) = 0.25d0*((p(i + 1, j, k) + p(i - 1, j, k)) + (p(i, j + 1, k) + p(i, j - 1, k)))
      end do
    end do
    do i = 1, n
      p(i, 1, k + 1) = p(i, 2, k + 1)
    end do
  end do
  last = p(:, :, max(steps, 0) + 1)
end subroutine relax

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call relax(a(1), max(nx, 0), max(ny, 0), steps, b(1))
    call dump('b', b)
    call end_case()
  end do
end program main
