! Allocatable arrays that each step sets to zero whole, sweeps, and adds up; a row of the field is recorded in each step, and
! every so often the largest speed is looked at.
module field
  implicit none
contains
  subroutine run(p, rec, top, nx, nz, steps)
    integer, intent(in) :: nx, nz, steps
    real, intent(inout) :: p(nz, nx), rec(steps, nx), top(*)
    real, allocatable :: q(:, :), vx(:, :), vz(:, :), dx(:, :), dz(:, :), r(:, :)
    integer :: it, ix, iz

    allocate(q(nz, nx), vx(nz, nx), vz(nz, nx), dx(nz, nx), dz(nz, nx), r(nz, nx))
    q = p
    vx = 0.0
    vz = 0.0
    r = 0.5
    do it = 1, steps
      dx = 0.0
      dz = 0.0
      do ix = 2, nx - 1
        do iz = 2, nz - 1
          dx(iz, ix) = q(iz, ix + 1) - q(iz, ix)
          dz(iz, ix) = q(iz + 1, ix) - q(iz, ix)
        end do
      end do
      vx = vx + 0.2 / r * dx
      vz = vz + 0.2 / r * dz
      dx = 0.0
      do ix = 2, nx - 1
        do iz = 2, nz - 1
          dx(iz, ix) = vx(iz, ix) - vx(iz, ix - 1) + vz(iz, ix) - vz(iz - 1, ix)
        end do
      end do
      q = q + 0.2 * dx
      do ix = 1, nx
        rec(it, ix) = q(nz / 2, ix)
      end do
      if (mod(it, 5) == 0) top(1) = max(top(1), maxval(sqrt(vx ** 2 + vz ** 2)))
    end do
    p = q
  end subroutine run
end module field

program main
  use corpus
  use field
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: p(:), rec(:), top(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(p, points(nx, ny, 1))
    call new_array(rec, steps * nx + 1)
    call new_array(top, 1)
    call run(p, rec, top, nx, ny, steps)
    call dump('p', p)
    call dump('rec', rec)
    call dump('top', top)
    call end_case()
  end do
end program main
