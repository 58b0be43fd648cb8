! Heat on a torus whose neighbours' numbers stand in allocatable arrays of a module, which a subroutine fills.
module lattice
  implicit none
  integer, allocatable :: ip(:), im(:), jp(:), jm(:)
contains
  subroutine neighbours(nx, ny)
    integer, intent(in) :: nx, ny
    integer :: i
    allocate (ip(nx), im(nx), jp(ny), jm(ny))
    do i = 1, nx
      ip(i) = i + 1
      im(i) = i - 1
    end do
    ip(nx) = 1
    im(1) = nx
    do i = 1, ny
      jp(i) = mod(i, ny) + 1
      jm(i) = mod(i - 2 + ny, ny) + 1
    end do
  end subroutine neighbours

  subroutine heat(u, v, nx, ny, steps)
    integer, intent(in) :: nx, ny, steps
    double precision, intent(inout) :: u(nx, ny), v(nx, ny)
    integer :: i, j, step
    call neighbours(nx, ny)
    do step = 1, steps
      do j = 1, ny
        do i = 1, nx
          v(i, j) = u(i, j) + 0.2d0*(u(ip(i), j) + u(im(i), j) + u(i, jp(j)) + u(i, jm(j)) - 4.0d0*u(i, j))
        end do
      end do
      u = v
    end do
    deallocate (ip, im, jp, jm)
  end subroutine heat
end module lattice

program main
  use corpus
  use lattice
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    if (nx > 0 .and. ny > 0) call heat(u, v, nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
