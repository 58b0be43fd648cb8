! A whole allocatable array, with subscripts from 0, is assigned the value of an expression in each step, which would allocate
! it again if its shape were another.
module plate
  implicit none
contains
  subroutine heat(u, w, steps)
    double precision, allocatable, intent(inout) :: u(:, :), w(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      do j = 1, ubound(u, 2) - 1
        do i = 1, ubound(u, 1) - 1
          w(i, j) = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j)
        end do
      end do
      u = u + 0.1d0*w
    end do
  end subroutine heat
end module plate

program main
  use corpus
  use plate
  implicit none
  integer :: nx, ny, nz, steps, n, m
  double precision, allocatable :: a(:), b(:), u(:, :), w(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    allocate (u(0:n - 1, 0:m - 1), w(0:n - 1, 0:m - 1))
    u = reshape(a(1:n*m), [n, m])
    w = 0.01d0*reshape(b(1:n*m), [n, m])
    call heat(u, w, steps)
    a(1:n*m) = reshape(u, [n*m])
    b(1:n*m) = reshape(w, [n*m])
    deallocate (u, w)
    call dump('u', a)
    call dump('w', b)
    call end_case()
  end do
end program main
