! Two populations that move in opposite directions, both in one loop and in place, after they have mixed.
subroutine stream(right, left, n, mix, steps)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: mix
  double precision, intent(inout) :: right(0:n - 1), left(0:n - 1)
  double precision :: mean
  integer :: step, i

  do step = 1, steps
    do i = 0, n - 1
      mean = 0.5d0*(right(i) + left(i))
      right(i) = (1.0d0 - mix)*right(i) + mix*mean
      left(i) = (1.0d0 - mix)*left(i) + mix*mean
    end do
    do i = 1, n - 1
      right(n - i) = right(n - i - 1)
      left(i - 1) = left(i)
    end do
    right(0) = 1.0d0 - left(0)
    left(n - 1) = right(n - 1)
  end do
end subroutine stream

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, 1, 1))
    call new_array(b, points(nx, 1, 1))
    if (nx > 0) call stream(a(1), b(1), nx, 0.3d0, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
