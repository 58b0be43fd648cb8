! The wave equation with a source at one point, whose value stands in a table.
module waves
  implicit none
contains
  subroutine wave(u, v, n, m, steps, is, js, source)
    integer, intent(in) :: n, m, steps, is, js
    double precision, intent(inout) :: u(n, m), v(n, m)
    double precision, intent(in) :: source(0:)
    integer :: t, i, j

    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          v(i, j) = 2.0d0*u(i, j) - v(i, j) + &
                    0.2d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
        end do
      end do
      v(is, js) = v(is, js) + source(mod(t, 8))
      do j = 2, m - 1
        do i = 2, n - 1
          u(i, j) = 2.0d0*v(i, j) - u(i, j) + &
                    0.2d0*(v(i - 1, j) + v(i + 1, j) + v(i, j - 1) + v(i, j + 1) - 4.0d0*v(i, j))
        end do
      end do
    end do
  end subroutine wave
end module waves

program main
  use corpus
  use waves
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)
  double precision :: source(0:7)

  source = [0.0d0, 0.1d0, 0.2d0, 0.1d0, 0.0d0, -0.1d0, -0.2d0, -0.1d0]
  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    if (points(nx, ny, 1) == 0) steps = 0
    call wave(a(1:), b(1:), nx, ny, steps, (nx + 1)/2, (ny + 2)/3, source)
    call dump('u', a)
    call dump('v', b)
    call end_case()
  end do
end program main
