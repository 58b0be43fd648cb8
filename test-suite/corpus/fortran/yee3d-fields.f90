! Maxwell's equations in three dimensions: six allocatable fields of a module, updated in place by two subroutines.
module cavity
  implicit none
  real, allocatable, dimension(:, :, :) :: ex, ey, ez, hx, hy, hz
  real, parameter :: c = 0.3
contains
  subroutine magnetic(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    integer :: i, j, k

    do k = 1, nz - 1
      do j = 1, ny - 1
        do i = 1, nx - 1
          hx(i, j, k) = hx(i, j, k) + c*(ey(i, j, k + 1) - ey(i, j, k) - ez(i, j + 1, k) + ez(i, j, k))
          hy(i, j, k) = hy(i, j, k) + c*(ez(i + 1, j, k) - ez(i, j, k) - ex(i, j, k + 1) + ex(i, j, k))
          hz(i, j, k) = hz(i, j, k) + c*(ex(i, j + 1, k) - ex(i, j, k) - ey(i + 1, j, k) + ey(i, j, k))
        end do
      end do
    end do
  end subroutine magnetic

  subroutine electric(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    integer :: i, j, k

    do k = 2, nz - 1
      do j = 2, ny - 1
        do i = 2, nx - 1
          ex(i, j, k) = ex(i, j, k) + c*(hz(i, j, k) - hz(i, j - 1, k) - hy(i, j, k) + hy(i, j, k - 1))
          ey(i, j, k) = ey(i, j, k) + c*(hx(i, j, k) - hx(i, j, k - 1) - hz(i, j, k) + hz(i - 1, j, k))
          ez(i, j, k) = ez(i, j, k) + c*(hy(i, j, k) - hy(i - 1, j, k) - hx(i, j, k) + hx(i, j - 1, k))
        end do
      end do
    end do
  end subroutine electric

  subroutine run(nx, ny, nz, steps)
    integer, intent(in) :: nx, ny, nz, steps
    integer :: t

    do t = 1, steps
      call magnetic(nx, ny, nz)
      call electric(nx, ny, nz)
    end do
  end subroutine run
end module cavity

program main
  use corpus
  use cavity
  implicit none
  integer :: nx, ny, nz, steps, n
  real, allocatable :: a(:)

  do while (next_case(nx, ny, nz, steps))
    n = points(nx, ny, nz)
    call fresh(ex)
    call fresh(ey)
    call fresh(ez)
    call fresh(hx)
    call fresh(hy)
    call fresh(hz)
    call run(nx, ny, nz, steps)
    call save_field('ex', ex)
    call save_field('ey', ey)
    call save_field('ez', ez)
    call save_field('hx', hx)
    call save_field('hy', hy)
    call save_field('hz', hz)
    call end_case()
  end do

contains

  subroutine fresh(field)
    real, allocatable, intent(inout) :: field(:, :, :)
    call new_array(a, n)
    field = reshape(a(1:n), [max(nx, 0), max(ny, 0), max(nz, 0)])
  end subroutine fresh

  subroutine save_field(name, field)
    character(len=*), intent(in) :: name
    real, intent(in) :: field(:, :, :)
    a(1:n) = reshape(field, [n])
    call dump(name, a)
  end subroutine save_field
end program main
