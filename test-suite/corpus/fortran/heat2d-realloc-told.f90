! Whole allocatable arrays are assigned when a step ends, and some steps tell how far they are and how warm it is.
module plate
  implicit none
contains
  subroutine heat(u, steps)
    double precision, allocatable, intent(inout) :: u(:, :)
    integer, intent(in) :: steps
    double precision, allocatable :: un(:, :)
    integer :: t, i, j, n, m

    n = size(u, 1)
    m = size(u, 2)
    un = u
    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          un(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
        end do
      end do
      u = un
      if (mod(t, 7) == 0) print *, 'step', t
      if (mod(t, 16) == 0 .and. n > 1 .and. m > 1) write (*, '(a, f12.8)') 'middle ', u(n/2, m/2)
    end do
  end subroutine heat
end module plate

program main
  use corpus
  use plate
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), u(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    allocate (u(max(nx, 0), max(ny, 0)))
    u = reshape(a(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)])
    call heat(u, steps)
    a(1:points(nx, ny, 1)) = reshape(u, [points(nx, ny, 1)])
    deallocate (u)
    call dump('u', a)
    call end_case()
  end do
end program main
