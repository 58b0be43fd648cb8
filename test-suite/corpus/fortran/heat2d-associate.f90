! Components of a nested derived type under shorter names, by associate, and elements by an elemental function.
module bodies
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: mesh
    integer :: nx, ny
    real(dp) :: dx = 0.5_dp, dy = 0.4_dp
  end type mesh
  type :: field
    type(mesh) :: grid
    real(dp), allocatable :: values(:, :), work(:, :)
  end type field
contains
  elemental function second(left, here, right, h) result(d)
    real(dp), intent(in) :: left, here, right, h
    real(dp) :: d
    d = (left - 2*here + right)/(h*h)
  end function second

  subroutine evolve(this, dt, steps)
    type(field), intent(inout) :: this
    real(dp), intent(in) :: dt
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      associate (u => this%values, w => this%work, g => this%grid)
        do j = 2, g%ny - 1
          do i = 2, g%nx - 1
            w(i, j) = u(i, j) + dt*(second(u(i - 1, j), u(i, j), u(i + 1, j), g%dx) &
                                    + second(u(i, j - 1), u(i, j), u(i, j + 1), g%dy))
          end do
        end do
        do j = 2, g%ny - 1
          do i = 2, g%nx - 1
            u(i, j) = w(i, j)
          end do
        end do
      end associate
    end do
  end subroutine evolve
end module bodies

program main
  use corpus
  use bodies
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real(dp), allocatable :: a(:), b(:)
  type(field) :: body

  do while (next_case(nx, ny, nz, steps))
    n = max(nx, 0)
    m = max(ny, 0)
    call new_array(a, n*m)
    call new_array(b, n*m)
    body%grid = mesh(n, m)
    body%values = reshape(a(1:n*m), [n, m])
    body%work = reshape(b(1:n*m), [n, m])
    call evolve(body, 0.02_dp, steps)
    a(1:n*m) = reshape(body%values, [n*m])
    b(1:n*m) = reshape(body%work, [n*m])
    call dump('u', a)
    call dump('work', b)
    call end_case()
  end do
end program main
