! Five populations in planes of one array, by subroutines that name its shape in ways of their own: by sizes, from zero on, by
! what was allocated like it.
module lattice
  implicit none
contains
  subroutine run(n, m, steps, f, wall)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout) :: f(n, m, 0:4)
    integer, intent(in) :: wall(n, m)
    double precision, allocatable :: e(:, :, :)
    double precision, allocatable :: g(:, :, :)
    integer :: t

    allocate(e(size(f, 1), size(f, 2), 0:4), g(n, m, 0:4))
    do t = 1, steps
      call equilibrium(n, m, f, e)
      call collide(f, e, wall)
      call stream(n, m, f, g, wall)
    end do
  end subroutine run

  subroutine equilibrium(n, m, f, e)
    integer, intent(in) :: n, m
    double precision, intent(in) :: f(n, m, 0:4)
    double precision, intent(out) :: e(n, m, 0:4)
    double precision :: rho, u, v
    integer :: i, j

    do j = 1, m
      do i = 1, n
        rho = f(i, j, 0) + f(i, j, 1) + f(i, j, 2) + f(i, j, 3) + f(i, j, 4)
        u = f(i, j, 1) - f(i, j, 3)
        v = f(i, j, 2) - f(i, j, 4)
        e(i, j, 0) = rho / 3
        e(i, j, 1) = rho / 6 + u / 2
        e(i, j, 2) = rho / 6 + v / 2
        e(i, j, 3) = rho / 6 - u / 2
        e(i, j, 4) = rho / 6 - v / 2
      end do
    end do
  end subroutine equilibrium

  subroutine collide(f, e, wall)
    double precision, intent(inout) :: f(:, :, 0:)
    double precision, intent(in) :: e(:, :, 0:)
    integer, intent(in) :: wall(:, :)
    integer :: i, j

    do j = 1, size(e, 2)
      do i = 1, size(e, 1)
        if (wall(i, j) == 0) then
          f(i, j, 0) = 0.4d0 * f(i, j, 0) + 0.6d0 * e(i, j, 0)
          f(i, j, 1) = 0.4d0 * f(i, j, 1) + 0.6d0 * e(i, j, 1)
          f(i, j, 2) = 0.4d0 * f(i, j, 2) + 0.6d0 * e(i, j, 2)
          f(i, j, 3) = 0.4d0 * f(i, j, 3) + 0.6d0 * e(i, j, 3)
          f(i, j, 4) = 0.4d0 * f(i, j, 4) + 0.6d0 * e(i, j, 4)
        end if
      end do
    end do
  end subroutine collide

  subroutine stream(n, m, f, g, wall)
    integer, intent(in) :: n, m
    double precision, intent(inout) :: f(0:n - 1, 0:m - 1, 0:4), g(0:n - 1, 0:m - 1, 0:4)
    integer, intent(in) :: wall(0:n - 1, 0:m - 1)
    integer :: i, j, nx, ny

    nx = size(f, 1)
    ny = size(f, 2)
    g = f
    do j = 1, ny - 2
      do i = 1, nx - 2
        if (wall(i, j) == 0) then
          f(i, j, 1) = g(i - 1, j, 1)
          f(i, j, 2) = g(i, j - 1, 2)
          f(i, j, 3) = g(i + 1, j, 3)
          f(i, j, 4) = g(i, j + 1, 4)
        end if
      end do
    end do
  end subroutine stream
end module lattice

program main
  use corpus
  use lattice
  implicit none
  integer :: nx, ny, nz, steps, i, j
  double precision, allocatable :: f(:)
  integer, allocatable :: wall(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(f, points(nx, ny, 5))
    allocate(wall(nx, ny))
    do j = 1, ny
      do i = 1, nx
        wall(i, j) = merge(1, 0, mod(i * 7 + j * 3, 11) == 0)
      end do
    end do
    call run(nx, ny, steps, f, wall)
    call dump('f', f)
    deallocate(wall)
    call end_case()
  end do
end program main
