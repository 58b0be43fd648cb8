! FDTD with allocatable fields of a module, updated in place, and a source that oscillates.
module fields
  implicit none
  real, allocatable :: ex(:, :), ey(:, :), hz(:, :)
  integer :: n, m

contains

  subroutine advance(steps)
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      do j = 2, m
        do i = 1, n
          ex(i, j) = ex(i, j) - 0.5*(hz(i, j) - hz(i, j - 1))
        end do
      end do
      do j = 1, m
        do i = 2, n
          ey(i, j) = ey(i, j) - 0.5*(hz(i, j) - hz(i - 1, j))
        end do
      end do
      do j = 1, m - 1
        do i = 1, n - 1
          hz(i, j) = hz(i, j) - 0.7*(ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j))
        end do
      end do
      if (n > 6 .and. m > 6) hz(n/3, m/3) = hz(n/3, m/3) + sin(0.3*t)
    end do
  end subroutine advance

end module fields

program main
  use corpus
  use fields
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: a(:), b(:), c(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    allocate (ex(n, m), ey(n, m), hz(n, m))
    ex = reshape(a(1:n*m), [n, m])
    ey = reshape(b(1:n*m), [n, m])
    hz = reshape(c(1:n*m), [n, m])
    call advance(steps)
    a(1:n*m) = reshape(ex, [n*m])
    b(1:n*m) = reshape(ey, [n*m])
    c(1:n*m) = reshape(hz, [n*m])
    deallocate (ex, ey, hz)
    call dump('ex', a)
    call dump('ey', b)
    call dump('hz', c)
    call end_case()
  end do
end program main
