! The last step is kept by assignment to an allocatable array that is not allocated at first, or has another shape, or the
! same number of elements in rows of another length: it is allocated again in the first step of each of two time loops. Or it
! has the shape, but other bounds, which it keeps until the second loop.
module sheet
  implicit none
contains
  subroutine heat(u, old, steps)
    double precision, allocatable, intent(inout) :: u(:, :), old(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      old = u
      do j = 2, size(u, 2) - 2
        do i = 2, size(u, 1) - 2
          u(i, j) = old(i, j) + 0.1d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4.0d0*old(i, j))
        end do
      end do
    end do
  end subroutine heat
end module sheet

program main
  use corpus
  use sheet
  implicit none
  integer :: nx, ny, nz, steps, n, m
  double precision, allocatable :: a(:), b(:), u(:, :), v(:, :), old(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    u = reshape(a(1:n*m), [n, m])
    v = reshape(b(1:n*m), [m, n])
    if (mod(n, 3) == 1) allocate (old(n + 2, m), source=0.0d0)
    if (mod(n, 3) == 2) allocate (old(0:n - 1, 0:m - 1), source=0.0d0)
    call heat(u, old, steps)
    call heat(v, old, steps)
    a(1:n*m) = reshape(u, [n*m])
    b(1:n*m) = reshape(v, [n*m])
    if (allocated(old)) then
      b(1) = b(1) + lbound(old, 1) + 10*lbound(old, 2) + size(old, 1)
      deallocate (old)
    end if
    call dump('u', a)
    call dump('v', b)
    call end_case()
  end do
end program main
