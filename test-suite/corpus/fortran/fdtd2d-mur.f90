! Waves that leave through all four sides (Mur's border of the first order): rows and columns of the old field are kept in
! vectors, all in a module; a line is printed now and then.
module field
  implicit none
  integer :: nx, nz
  double precision, allocatable :: ex(:, :), ez(:, :), h(:, :), sx1(:), sx2(:), sz1(:), sz2(:)
contains
  subroutine step_h
    integer :: i, k
    do k = 1, nz
      do i = 1, nx
        h(i, k) = h(i, k) + 0.5d0*(ez(i + 1, k) - ez(i, k)) - 0.5d0*(ex(i, k + 1) - ex(i, k))
      end do
    end do
  end subroutine step_h

  subroutine step_e
    integer :: i, k
    sz1(:) = ez(2, :)
    sz2(:) = ez(nx, :)
    sx1(:) = ex(:, 2)
    sx2(:) = ex(:, nz)
    do k = 2, nz
      do i = 2, nx
        ex(i, k) = ex(i, k) - 0.5d0*(h(i, k) - h(i, k - 1))
        ez(i, k) = ez(i, k) + 0.5d0*(h(i, k) - h(i - 1, k))
      end do
    end do
    do k = 1, nz
      ez(1, k) = sz1(k) - 0.33d0*(ez(2, k) - sz1(k))
      ez(nx + 1, k) = sz2(k) - 0.33d0*(ez(nx, k) - sz2(k))
    end do
    do i = 1, nx
      ex(i, 1) = sx1(i) - 0.33d0*(ex(i, 2) - sx1(i))
      ex(i, nz + 1) = sx2(i) - 0.33d0*(ex(i, nz) - sx2(i))
    end do
  end subroutine step_e

  subroutine waves(steps)
    integer, intent(in) :: steps
    integer :: t
    do t = 1, steps
      call step_h
      call step_e
      if (mod(t, 5) == 0) print *, t
    end do
  end subroutine waves
end module field

program main
  use corpus
  use field
  implicit none
  integer :: mx, my, mz, steps
  double precision, allocatable :: first(:), kept(:)

  do while (next_case(mx, my, mz, steps))
    call new_array(first, points(mx, my, 1))
    nx = max(mx, 0) - 1
    nz = max(my, 0) - 1
    call new_array(kept, max(nx, 0))
    if (nx >= 2 .and. nz >= 2) then
      allocate (ex(nx, nz + 1), ez(nx + 1, nz), h(nx, nz), sx1(nx), sx2(nx), sz1(nz), sz2(nz))
      ex = 0.25d0
      ez = 0.5d0
      sx1 = 0d0
      sx2 = 0d0
      sz1 = 0d0
      sz2 = 0d0
      h = reshape(first(1:size(h)), shape(h))
      call waves(steps)
      first(1:size(h)) = reshape(h, [size(h)])
      kept(1:nx) = sx2
      deallocate (ex, ez, h, sx1, sx2, sz1, sz2)
    end if
    call dump('h', first)
    call dump('kept', kept)
    call end_case()
  end do
end program main
