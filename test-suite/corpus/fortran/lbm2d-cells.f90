! Lattice Boltzmann on arrays of a derived type: a cell is what rests in it, and what moves in each of four directions.
module lattice
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: cell
    real(dp) :: rest, north, south, east, west
  end type cell
contains
  subroutine flow(now, next, solid, n, m, omega, steps)
    integer, intent(in) :: n, m, steps
    type(cell), intent(inout) :: now(n, m), next(n, m)
    logical, intent(in) :: solid(n, m)
    real(dp), intent(in) :: omega
    real(dp) :: rest, north, south, east, west, density, ux, uy
    integer :: t, i, j

    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          rest = now(i, j)%rest
          east = now(i - 1, j)%east
          west = now(i + 1, j)%west
          north = now(i, j - 1)%north
          south = now(i, j + 1)%south
          if (solid(i, j)) then
            next(i, j)%rest = rest
            next(i, j)%east = west
            next(i, j)%west = east
            next(i, j)%north = south
            next(i, j)%south = north
          else
            density = rest + east + west + north + south
            ux = east - west
            uy = north - south
            next(i, j)%rest = rest + omega*(density/3 - rest)
            next(i, j)%east = east + omega*(density/6 + 0.5_dp*ux - east)
            next(i, j)%west = west + omega*(density/6 - 0.5_dp*ux - west)
            next(i, j)%north = north + omega*(density/6 + 0.5_dp*uy - north)
            next(i, j)%south = south + omega*(density/6 - 0.5_dp*uy - south)
          end if
        end do
      end do
      do j = 2, m - 1
        do i = 2, n - 1
          now(i, j) = next(i, j)
        end do
      end do
    end do
  end subroutine flow
end module lattice

program main
  use corpus
  use lattice
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real(dp), allocatable :: a(:), b(:), c(:)
  type(cell), allocatable :: now(:), next(:)
  logical, allocatable :: solid(:)

  do while (next_case(nx, ny, nz, steps))
    n = max(nx, 0)
    m = max(ny, 0)
    call new_array(a, 5*n*m)
    call new_array(b, 5*n*m)
    call new_array(c, n*m)
    now = transfer(a(1:5*n*m), now, n*m)
    next = transfer(b(1:5*n*m), next, n*m)
    solid = c > 0.75_dp
    call flow(now, next, solid(guard + 1:), n, m, 0.6_dp, steps)
    a(1:5*n*m) = transfer(now, a, 5*n*m)
    b(1:5*n*m) = transfer(next, b, 5*n*m)
    call dump('now', a)
    call dump('next', b)
    call end_case()
  end do
end program main
