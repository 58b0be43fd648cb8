! A grid with its sizes, which one procedure of its type brings forward: both arrays are its components, and sections of
! one are copied to other places of it.
module grids
  implicit none
  type :: grid
    integer :: nx, ny
    double precision :: dx, dt
    double precision, allocatable :: u(:, :), v(:, :)
  contains
    procedure :: step
  end type
contains
  subroutine step(this)
    class(grid), intent(inout) :: this
    integer :: i, j
    double precision :: r
    r = this%dt/this%dx**2
    do j = 1, this%ny
      do i = 1, this%nx
        this%v(i, j) = this%u(i, j) &
          + r*(this%u(i - 1, j) + this%u(i + 1, j) + this%u(i, j - 1) + this%u(i, j + 1) - 4*this%u(i, j))
      end do
    end do
    this%u = this%v
    this%u(0, :) = this%u(this%nx, :)
    this%u(this%nx + 1, :) = this%u(1, :)
  end subroutine step

  subroutine run(g, steps)
    type(grid), intent(inout) :: g
    integer, intent(in) :: steps
    integer :: t
    do t = 1, steps
      call g%step()
    end do
  end subroutine run
end module grids

program main
  use corpus
  use grids
  implicit none
  integer :: nx, ny, nz, steps, i, j
  double precision, allocatable :: u(:)
  type(grid) :: g

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    if (nx > 2 .and. ny > 2) then
      g%nx = nx - 2
      g%ny = ny - 2
      g%dx = 1d0/nx
      g%dt = 0.1d0*g%dx**2
      allocate (g%u(0:nx - 1, 0:ny - 1), g%v(0:nx - 1, 0:ny - 1))
      do j = 0, ny - 1
        do i = 0, nx - 1
          g%u(i, j) = u(1 + i + j*nx)
        end do
      end do
      g%v = g%u
      call run(g, steps)
      do j = 0, ny - 1
        do i = 0, nx - 1
          u(1 + i + j*nx) = g%u(i, j)
        end do
      end do
      deallocate (g%u, g%v)
    end if
    call dump('u', u)
    call end_case()
  end do
end program main
