! An allocatable array, whose descriptor says how long its rows are, beside a procedure that is told its bounds: the boundary is
! set by the latter, and the change since the last step added up.
program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, i, j, t, m, n
  double precision, allocatable :: first(:), second(:), u(:, :), w(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(first, points(nx, ny, 1))
    call new_array(second, points(nx, ny, 1))
    m = max(nx, 0) - 1
    n = max(ny, 0) - 1
    allocate (u(0:m, 0:n), w(0:m, 0:n))
    u = reshape(first(1:(m + 1)*(n + 1)), [m + 1, n + 1])
    w = reshape(second(1:(m + 1)*(n + 1)), [m + 1, n + 1])
    do t = 1, steps
      do j = 1, n - 1
        do i = 1, m - 1
          w(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
        end do
      end do
      call set_sides(w, m, n)
      call keep(u, w, m, n)
    end do
    first(1:(m + 1)*(n + 1)) = reshape(u, [(m + 1)*(n + 1)])
    second(1:(m + 1)*(n + 1)) = reshape(w, [(m + 1)*(n + 1)])
    deallocate (u, w)
    call dump('u', first)
    call dump('w', second)
    call end_case()
  end do

contains

  subroutine set_sides(a, m, n)
    integer, intent(in) :: m, n
    double precision, intent(inout) :: a(0:m, 0:n)
    integer :: i, j

    if (m < 1 .or. n < 1) return
    do i = 0, m
      a(i, 0) = 0.5d0*i
      a(i, n) = a(i, n - 1)
    end do
    do j = 0, n
      a(0, j) = 0.25d0*j
      a(m, j) = a(m - 1, j) + 1.0d0
    end do
  end subroutine set_sides

  subroutine keep(a, b, m, n)
    integer, intent(in) :: m, n
    double precision, intent(inout) :: a(0:m, 0:n)
    double precision, intent(in) :: b(0:m, 0:n)

    a = b
  end subroutine keep
end program main
