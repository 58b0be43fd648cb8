! Whole allocatable arrays are assigned: each of them would be allocated again if its shape were another.
module plate
  implicit none
contains
  subroutine heat(u, steps)
    double precision, allocatable, intent(inout) :: u(:, :)
    integer, intent(in) :: steps
    double precision, allocatable :: old(:, :)
    integer :: t, i, j, n, m

    n = size(u, 1)
    m = size(u, 2)
    allocate (old(n, m))
    do t = 1, steps
      old = u
      do j = 2, m - 1
        do i = 2, n - 1
          u(i, j) = old(i, j) + 0.1d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4.0d0*old(i, j))
        end do
      end do
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
